// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {IOpenings} from "./IOpenings.sol";
import {IPeerRegistry} from "./IPeerRegistry.sol";
import {IRewardVotes} from "./IRewardVotes.sol";

/// @title INectar
/// @notice What final points earn. It is minted by claims and by nothing else: there is no role, and no first supply.
/// @dev ERC-20 with permit; anyone may burn their own. The supply is what was claimed less what was burnt.
interface INectar is IERC20, IERC20Permit {
    /// @notice Emitted when what a peer has earned is minted.
    /// @param peerKey The peer.
    /// @param account The account that speaks for the peer, which gets it.
    /// @param amountWei How much.
    event NectarClaimed(bytes32 indexed peerKey, address indexed account, uint256 amountWei);

    /// @notice Thrown when a claim names a peer that is not registered.
    /// @param peerKey The peer.
    error Nectar_UnknownPeer(bytes32 peerKey);

    /// @notice Mints what a peer has earned in final rounds and was not minted yet, to the account that speaks for the
    /// peer. Anyone may call. With nothing to claim it returns 0.
    /// @param peerKey The peer.
    /// @return amountWei How much.
    function claim(bytes32 peerKey) external returns (uint256 amountWei);

    /// @notice What a claim would mint now.
    /// @param peerKey The peer.
    /// @return amountWei How much.
    function claimable(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice What was minted for a peer so far.
    /// @param peerKey The peer.
    /// @return amountWei How much.
    function claimedOf(bytes32 peerKey) external view returns (uint256 amountWei);

    /// @notice What was minted for all peers so far: the supply and all that was burnt.
    /// @return amountWei How much.
    function totalClaimed() external view returns (uint256 amountWei);

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
