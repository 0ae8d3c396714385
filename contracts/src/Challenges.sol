// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {AppealCases} from "./challenges/AppealCases.sol";
import {Appeals} from "./challenges/Appeals.sol";
import {CommittedWork} from "./challenges/CommittedWork.sol";
import {FalseLeaves} from "./challenges/FalseLeaves.sol";
import {WithheldLeaves} from "./challenges/WithheldLeaves.sol";
import {IChallenges} from "./interfaces/IChallenges.sol";
import {IRewardVotes} from "./interfaces/IRewardVotes.sol";
import {Jury} from "./Jury.sol";

/// @title Challenges
/// @notice False leaves, withheld leaves and appeals.
contract Challenges is IChallenges, FalseLeaves, WithheldLeaves, Appeals {
    /// @param votes Stores the outcomes; must be bound to this contract.
    /// @param minGasPriceWei See `MIN_GAS_PRICE_WEI`.
    /// @param firstBondWei The bond of a first appeal.
    constructor(
        IRewardVotes votes,
        uint256 minGasPriceWei,
        uint256 firstBondWei
    ) CommittedWork(votes) Jury(votes.peerRegistry()) WithheldLeaves(minGasPriceWei) AppealCases(firstBondWei) {}

    /// @inheritdoc IChallenges
    function rewardVotes() external view returns (IRewardVotes votes) {
        return _votes;
    }
}
