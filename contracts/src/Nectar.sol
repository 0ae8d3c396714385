// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {ERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Permit.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {INectar} from "./interfaces/INectar.sol";
import {IOpenings} from "./interfaces/IOpenings.sol";
import {IPeerRegistry} from "./interfaces/IPeerRegistry.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";

/// @title Nectar
/// @notice The token that final points earn.
contract Nectar is INectar, ERC20Burnable, ERC20Permit {
    IPeerRegistry internal immutable _registry;
    IRewardVotes internal immutable _votes;
    IOpenings internal immutable _openings;

    mapping(bytes32 peerKey => uint256 amountWei) internal _claimed;

    /// @param registry Says who speaks for a peer.
    /// @param votes Says what a peer has earned by scores and votes.
    /// @param openings_ Says what an evaluator has earned by openings.
    constructor(
        IPeerRegistry registry,
        IRewardVotes votes,
        IOpenings openings_
    ) ERC20("Nectar", "NECTAR") ERC20Permit("Nectar") {
        _registry = registry;
        _votes = votes;
        _openings = openings_;
    }

    /// @inheritdoc INectar
    function claim(bytes32 peerKey) external returns (uint256 amountWei) {
        address account = _registry.accountOf(peerKey);
        if (account == address(0)) revert Nectar_UnknownPeer(peerKey);
        amountWei = claimable(peerKey);
        if (amountWei == 0) return 0;
        _claimed[peerKey] += amountWei;
        _mint(account, amountWei);
        emit NectarClaimed(peerKey, account, amountWei);
    }

    /// @inheritdoc INectar
    function claimedOf(bytes32 peerKey) external view returns (uint256 amountWei) {
        return _claimed[peerKey];
    }

    /// @inheritdoc INectar
    function peerRegistry() external view returns (IPeerRegistry registry) {
        return _registry;
    }

    /// @inheritdoc INectar
    function rewardVotes() external view returns (IRewardVotes votes) {
        return _votes;
    }

    /// @inheritdoc INectar
    function openings() external view returns (IOpenings openings_) {
        return _openings;
    }

    /// @inheritdoc INectar
    function claimable(bytes32 peerKey) public view returns (uint256 amountWei) {
        return _votes.earnedOf(peerKey) + _openings.earnedOf(peerKey) - _claimed[peerKey];
    }

    /// @inheritdoc IERC20Permit
    function nonces(address owner) public view override(ERC20Permit, IERC20Permit) returns (uint256 nonce) {
        return super.nonces(owner);
    }
}
