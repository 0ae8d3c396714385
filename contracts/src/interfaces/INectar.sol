// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {IOpenings} from "./IOpenings.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRewardVotes} from "./IRewardVotes.sol";

/// @title INectar
/// @notice The token that final points earn. Only claims mint it: there is no minter role and no initial supply.
/// @dev ERC-20 with permit; holders can burn their own. The supply is all claims less what was burnt.
interface INectar is IERC20, IERC20Permit {
    /// @notice Emitted when a peer's earnings are minted.
    /// @param peerKey The peer.
    /// @param account The recipient: the account that speaks for the peer.
    /// @param amountWei Amount.
    event NectarClaimed(bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Thrown when a claim names a peer that is not registered.
    /// @param peerKey The peer.
    error Nectar_UnknownPeer(bytes32 peerKey);

    /// @notice Mints a peer's unclaimed earnings of final rounds to the account that speaks for the peer. Anyone may
    /// call. Returns 0 if there is nothing to claim.
    /// @param peerKey The peer.
    /// @return amountWei Amount.
    function claim(bytes32 peerKey) external returns (uint256 amountWei);

    /// @notice What a claim would mint now.
    /// @param peerKey The peer.
    /// @return amountWei Amount.
    function claimable(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice What was minted for a peer so far.
    /// @param peerKey The peer.
    /// @return amountWei Amount.
    function claimedOf(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice The registry that says who speaks for a peer.
    /// @return registry The contract.
    function peerRegistry() external view returns (IPeerRegistry registry);

    /// @notice The contract that says what an evaluator has earned by openings.
    /// @return openings_ The contract.
    function openings() external view returns (IOpenings openings_);

    /// @notice The contract that says what a peer has earned by scores and votes.
    /// @return votes The contract.
    function rewardVotes() external view returns (IRewardVotes votes);
}
